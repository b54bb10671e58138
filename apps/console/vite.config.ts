import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { callsOnly } from './build/calls-only.ts'
import { packed } from './build/packed.ts'
import { vendorFactsOnly } from './build/vendor-facts.ts'

/** Where the development server finds the gateway. */
const gateway = 'http://127.0.0.1:3000'

export default defineConfig({
  plugins: [callsOnly(), vendorFactsOnly(), react(), tailwindcss(), packed()],
  server: { port: 5173, proxy: { '/api': gateway, '/v1': gateway, '/v1beta': gateway } },
  preview: { port: 4173 },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    // Pictures stay files: the page's policy allows data: addresses, but a file is cached once for all pages.
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
