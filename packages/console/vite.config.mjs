/** Builds the console into static files. `scripts/console.mjs` runs it. */
import tailwindcss from "@tailwindcss/vite"
import { defineConfig } from "vite"

export default defineConfig({
  base: "/console/",
  plugins: [tailwindcss()],
  esbuild: { jsx: "automatic" },
  build: {
    target: "es2022",
    // The content security policy allows no data URL, and modern browsers preload modules themselves.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    rollupOptions: {
      // Base UI marks its modules for servers that render; there is none.
      onwarn: (warning, warn) => {
        if (warning.code !== "MODULE_LEVEL_DIRECTIVE") warn(warning)
      }
    }
  },
  // `node_modules/.bin/vite` in this folder serves the sources, and passes calls on to a server that runs.
  server: {
    proxy: { "^/(session|operator|signals|campaign|openapi.json)": "http://127.0.0.1:4000" }
  }
})
