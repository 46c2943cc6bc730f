import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "/admin/",
  plugins: [react()],
  build: {
    target: "es2022",
    // Colours use light-dark(), which these browsers know; older targets would make the build rewrite it.
    cssTarget: ["chrome125", "edge125", "firefox129", "safari18"],
    // The content security policy allows fonts from our own address only, so nothing may become a data: URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/admin/api": process.env.SITEWRIGHT_URL ?? "http://127.0.0.1:8080" } },
  test: { environment: "happy-dom", include: ["src/**/*.test.{ts,tsx}"] },
});
