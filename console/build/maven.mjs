// Called by Maven as "maven.mjs build" and "maven.mjs check": runs the npm script of that name, with "npm ci" before it if
// need be, unless it went well for the very same sources before.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf, inputFiles, output, root } from './inputs.mjs'

const script = process.argv[2]
const stamp = join(root, `target/console-${script}.sha256`)
const installed = join(root, 'node_modules/.posthorn-installed')

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)

function npm(...args) {
  const { status, error } = spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  if (error) {
    console.error(`npm cannot be started (${error.message}). Install Node 20.19 or newer with npm, or build without the console: -Dconsole.skip`)
    process.exit(1)
  }
  if (status !== 0) {
    process.exit(status ?? 1)
  }
}

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`The console takes Node 20.19 or newer, this is ${process.versions.node}. Without the console: -Dconsole.skip`)
  process.exit(1)
}

const sources = hashOf(inputFiles())
const done = read(stamp) === sources && (script !== 'build' || existsSync(join(output, 'index.html')))
if (!done) {
  const lock = hashOf([join(root, 'package-lock.json'), join(root, 'package.json')])
  if (read(installed) !== lock) {
    npm('ci', '--no-audit', '--no-fund')
    writeFileSync(installed, lock)
  }
  npm('run', '--silent', script)
  mkdirSync(join(root, 'target'), { recursive: true })
  writeFileSync(stamp, sources)
}
