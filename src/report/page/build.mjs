// Builds dist/page.html, which the repository carries: everything in one file, and the hash of what it was built from.
//   node build.mjs            write it
//   node build.mjs --check    fail if it is not what the sources give
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const read = (name) => readFileSync(join(here, name), "utf8");

// tests/report/check_page.py computes the same.
const inputs = [
  "build.mjs", "package.json", "package-lock.json", "page.html", "tsconfig.json",
  ...readdirSync(join(here, "source")).map((name) => "source/" + name),
].sort();
const hash = createHash("sha256");
for (const name of inputs) hash.update(name + "\n").update(read(name));

const result = await build({
  absWorkingDir: here,
  entryPoints: ["source/main.tsx"],
  bundle: true,
  minify: true,
  write: false,
  target: "es2023",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
});
const licences = "/* Contains Preact (MIT, © Jason Miller) and Prism (MIT, © Lea Verou). */\n";
// Inside a script element nothing may look like its end; inside C++ nothing like the end of a raw string.
const script = licences + result.outputFiles[0].text.replaceAll("</script", "<\\/script");
const style = (await build({ absWorkingDir: here, entryPoints: ["source/style.css"], minify: true, write: false }))
  .outputFiles[0].text;
if (script.includes(')lockstep"')) throw new Error("the bundle ends the string it is embedded in");
const page = read("page.html")
  .replace("SOURCES", () => hash.digest("hex"))
  .replace("STYLE", () => style.trim())
  .replace("SCRIPT", () => script.trim());

if (process.argv.includes("--check")) {
  if (page !== read("dist/page.html")) {
    console.error("page: dist/page.html is not up to date; run 'npm ci && npm run build' in src/report/page");
    process.exit(1);
  }
} else {
  writeFileSync(join(here, "dist/page.html"), page);
  console.log(`dist/page.html: ${(page.length / 1024).toFixed(0)} KiB`);
}
