// What the build reads, as one hash: contents and not times, so that switching branches back and forth builds nothing twice.
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
export const openapi = join(root, '../docs/openapi.yaml')
export const output = join(root, 'target/classes/META-INF/posthorn/console')

const inputs = ['src/main/web', 'build', 'package.json', 'package-lock.json', 'tsconfig.json', 'vite.config.ts', 'eslint.config.js']

function filesBelow(path) {
  return readdirSync(path, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(path, entry.name)) : [join(path, entry.name)]))
    .sort()
}

export function hashOf(files) {
  const hash = createHash('sha256')
  for (const file of files) {
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

export function inputFiles() {
  const files = inputs.flatMap((name) => {
    const path = join(root, name)
    return name.includes('.') ? [path] : filesBelow(path)
  })
  return [...files, openapi]
}
