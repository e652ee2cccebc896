// Draws a report as `allure generate` does, with the results of a quality gate that was judged elsewhere.
// Arguments: node_modules of Allure, its configuration, the folder of results, a file with the gate's results.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, configuration, results, gate] = process.argv.slice(2);
const core = await import(pathToFileURL(join(modules, "@allurereport", "core", "dist", "index.js")).href);
const report = new core.AllureReport(await core.readConfig(dirname(configuration), configuration));
await report.start();
await report.readDirectory(results);
report.realtimeDispatcher.sendQualityGateResults(JSON.parse(readFileSync(gate, "utf-8")));
await report.done();
