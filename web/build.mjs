// Bundle the page into the folder that is named: index.html, and assets with a hash in their names, beside each its .gz.
import { build } from "esbuild";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const output = process.argv[2];
if (!output) throw new Error("node build.mjs OUTPUT");
const assets = join(output, "assets");
rmSync(assets, { recursive: true, force: true });
mkdirSync(assets, { recursive: true });

const { metafile } = await build({
  entryPoints: ["src/main.tsx", "src/api/worker.ts"],
  outdir: assets,
  publicPath: "/assets",
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});

const madeOf = (source) => Object.entries(metafile.outputs).find(([, made]) => made.entryPoint === source);
const entry = madeOf("src/main.tsx");
const worker = madeOf("src/api/worker.ts");
if (!entry || !worker) throw new Error("esbuild made no entry");
const named = (path) => path.slice(path.lastIndexOf("/") + 1);
const page = readFileSync("src/index.html", "utf8")
  .replace("%SCRIPT%", `/assets/${named(entry[0])}`)
  .replace("%WORKER%", `/assets/${named(worker[0])}`)
  .replace("%STYLE%", `/assets/${named(entry[1].cssBundle)}`);
writeFileSync(join(output, "index.html"), page);
for (const name of readdirSync(assets)) {
  writeFileSync(join(assets, `${name}.gz`), gzipSync(readFileSync(join(assets, name)), { level: 9 }));
}
