import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const hub = process.env['POSTHORN_HUB'] ?? 'http://127.0.0.1:8080'

// The hub refuses calls that a web page from elsewhere makes. The dev server's page is one, so what says so is taken off.
const proxy = {
  '/v1': {
    target: hub,
    changeOrigin: true,
    configure: (server: { on(event: 'proxyReq', listener: (request: { removeHeader(name: string): void }) => void): void }) => {
      server.on('proxyReq', (request) => {
        for (const header of ['origin', 'referer', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest']) {
          request.removeHeader(header)
        }
      })
    },
  },
}

export default defineConfig({
  root: path('src/main/web'),
  base: '/console/',
  cacheDir: path('target/vite'),
  plugins: [react()],
  resolve: { alias: { '~': path('src/main/web') } },
  build: {
    outDir: path('target/classes/META-INF/posthorn/console'),
    emptyOutDir: true,
    target: 'es2023',
    manifest: true,
    // A file that became part of another as a data: address would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
  },
  server: { port: 5173, proxy },
  preview: {
    port: 4173,
    proxy,
    // As the hub sends it, so that what it forbids is noticed before.
    headers: {
      'Content-Security-Policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
    },
  },
  test: { root: path('.'), include: ['src/main/web/**/*.test.ts'], environment: 'node' },
})
