// The build fails when a first visit would load more than 350 kB, gzipped: the page, what it starts with, and the largest screen.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { output } from './inputs.mjs'

const limit = 350_000
const manifest = JSON.parse(readFileSync(join(output, '.vite/manifest.json'), 'utf8'))

function filesOf(name, seen = new Set()) {
  const chunk = manifest[name]
  if (seen.has(chunk.file)) {
    return seen
  }
  seen.add(chunk.file)
  for (const css of chunk.css ?? []) {
    seen.add(css)
  }
  for (const imported of chunk.imports ?? []) {
    filesOf(imported, seen)
  }
  return seen
}

const size = (files) => [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(output, file))).length, 0)

const first = filesOf('index.html')
const screens = Object.entries(manifest).filter(([, chunk]) => chunk.isDynamicEntry)
const loads = screens.map(([name]) => ({ name, bytes: size(filesOf(name, new Set(first))) }))
const largest = loads.reduce((a, b) => (a.bytes > b.bytes ? a : b))
const bytes = largest.bytes + gzipSync(readFileSync(join(output, 'index.html'))).length
console.log(`First load: ${(bytes / 1000).toFixed(0)} kB gzipped, with ${largest.name}; at most ${limit / 1000} kB.`)
if (bytes > limit) {
  for (const { name, bytes: screen } of loads) {
    console.error(`  ${(screen / 1000).toFixed(0)} kB  ${name}`)
  }
  process.exit(1)
}
rmSync(join(output, '.vite'), { recursive: true })
