import { writeFileSync } from "node:fs";
import { renderJsonSchema, renderReference } from "../src/config/schema/reference.ts";

/** Write what follows from the key registry: the reference for people and the JSON Schema for editors. */
const root = new URL("../", import.meta.url);
writeFileSync(new URL("docs/configuration.md", root), renderReference());
writeFileSync(new URL("troupe.schema.json", root), renderJsonSchema());
