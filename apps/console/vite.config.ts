import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { buildTargets } from './build/browsers.ts'
import { callsOnly } from './build/calls-only.ts'
import { packed } from './build/packed.ts'
import { startPage } from './build/start-page.ts'
import { vendorFactsOnly } from './build/vendor-facts.ts'

/** Where the development server finds the gateway. */
const gateway = 'http://127.0.0.1:3000'
/** As the gateway's variable; a gateway that serves the built files needs none here, and writes its own path into the page. */
const base = `${(process.env['BASE_PATH'] ?? '').replace(/\/+$/, '')}/`

export default defineConfig({
  base,
  plugins: [callsOnly(), vendorFactsOnly(), react(), tailwindcss(), startPage(base), packed()],
  server: { port: 5173, proxy: Object.fromEntries(['api', 'v1', 'v1beta'].map((folder) => [`${base}${folder}`, gateway])) },
  preview: { port: 4173 },
  // Everything but the page is found relative to the file that asks for it, below whatever path the page is.
  experimental: { renderBuiltUrl: (_file, { hostType }) => (hostType === 'html' ? undefined : { relative: true }) },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    target: [...buildTargets],
    // Images stay files: the page's policy allows data: addresses, but a file is cached once for all pages.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      // The workspace packages hold records and schemas only; nothing in them works by being imported.
      treeshake: { moduleSideEffects: (id) => !/[\\/]packages[\\/](?:contract|vendors)[\\/]/.test(id) },
      output: {
        codeSplitting: {
          // One file instead of thirty small ones: browsers fetch six at a time, and each costs a round trip.
          groups: [{ name: 'frame', tags: ['$initial'] }],
        },
        entryFileNames: 'static/js/[name]-[hash].js',
        chunkFileNames: 'static/js/[name]-[hash].js',
        assetFileNames: (asset) =>
          asset.names.some((name) => name.endsWith('.css')) ? 'static/css/[name]-[hash][extname]' : 'static/media/[name]-[hash][extname]',
      },
    },
  },
})
