import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FakeDiscord } from "../../../src/testing/fake-discord/fake-discord.ts";
import { GOOD, Workshop } from "../troupe-process.ts";

/** Writes down every module that is resolved into Discord's libraries. */
const WATCH = `import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (/@discordjs|discord-api-types|undici|magic-bytes/.test(found.url)) appendFileSync("loaded.txt", found.url + "\\n");
    return found;
  },
});
`;

/** Start and stop a runtime, and list what of Discord's it loaded. */
async function loadedBy(yaml: string, online: () => Promise<void>): Promise<readonly string[]> {
  await using workshop = new Workshop(yaml);
  const running = await workshop.start({
    preload: [workshop.write("watch.mjs", WATCH)],
    environment: { TOKEN: "fake-bot-token.not-a-real-one.0123456789" },
  });
  await online();
  assert.equal(await running.stop(), 0, running.errors);
  const list = join(workshop.folder, "loaded.txt");
  return existsSync(list) ? readFileSync(list, "utf8").trim().split("\n") : [];
}

test("Discord's libraries are loaded where a bot is configured, and nowhere else", async () => {
  await using discord = new FakeDiscord();
  await discord.listen();
  const bot = `  town: { kind: discord, token_env: TOKEN, character: mirelle, api_base: "${discord.api}", other_server: true }\n`;
  const online = (): Promise<void> => discord.until(() => discord.gateway.ready, AbortSignal.timeout(10_000));
  const [without, withBot] = await Promise.all([
    loadedBy(GOOD, () => Promise.resolve()),
    loadedBy(GOOD.replace("console:", `${bot}console:`), online),
  ]);
  assert.deepEqual(without, []);
  assert.deepEqual(
    withBot.filter((url) => /undici|magic-bytes/.test(url)),
    [],
    "nor what of them is never used",
  );
  for (const name of ["core", "rest", "ws"])
    assert.ok(
      withBot.some((url) => url.includes(`@discordjs/${name}/`)),
      name,
    );
});
