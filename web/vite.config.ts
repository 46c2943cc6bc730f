import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { firstLoad } from "./scripts/first-load.ts";

const require = createRequire(import.meta.url);

/** Adds the licence of the font, which Vite's own list of bundled code does not know. */
const fontLicense: Plugin = {
  name: "font-license",
  apply: "build",
  generateBundle() {
    const path = require.resolve("@fontsource-variable/hanken-grotesk/LICENSE");
    this.emitFile({ type: "asset", fileName: "licenses-font.txt", source: readFileSync(path) });
  },
};

export default defineConfig({
  base: "/admin/",
  plugins: [
    react(),
    fontLicense,
    firstLoad({ screen: "/sign-in/SignIn.tsx", bytesMax: 120_000, without: ["/site/Editor.tsx", "/site/sync.ts"] }),
  ],
  build: {
    target: "es2022",
    // Colours use light-dark(), which these browsers know; older targets would make the build rewrite it.
    cssTarget: ["chrome125", "edge125", "firefox129", "safari18"],
    // The content security policy allows fonts from our own address only, so nothing may become a data: URL.
    assetsInlineLimit: 0,
    license: { fileName: "licenses.txt" },
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What several screens share is small and many: each a file of its own would make sixty requests.
          groups: [{ name: "shared", test: /\/src\/(?!screens\/site\/)/, minShareCount: 4 }],
        },
      },
    },
  },
  server: {
    proxy: {
      // The host stays the browser's: the server refuses changes that come from a page of another host than its own.
      "/admin/api": { target: process.env.SITEWRIGHT_URL ?? "http://127.0.0.1:8080", changeOrigin: false },
    },
  },
  test: { include: ["src/**/*.test.{ts,tsx}"] },
});
