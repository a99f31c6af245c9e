// Walks through what the TypeScript client offers without an LLM. Prints one JSON object with what it saw.
import { HindsightClient } from "@vectorize-io/hindsight-client";

const [baseUrl, bank] = process.argv.slice(2);
const client = new HindsightClient({ baseUrl });
const seen = {};

seen.version = (await client.getVersion()).api_version;
await client.createBank(bank, { name: "Walk", mission: "Be walked through" });
seen.mission = (await client.setMission(bank, "Be walked")).mission;
seen.profile = (await client.getBankProfile(bank)).name;

seen.retained = await client.retain(bank, "Alice keeps bees in Sheffield.", {
  timestamp: new Date("2026-03-01T12:00:00Z"),
  context: "a chat",
  metadata: { source: "walk" },
  documentId: "bees",
  entities: [{ text: "Alice" }],
  tags: ["animals"],
});
seen.batch = await client.retainBatch(
  bank,
  [
    { content: "Bob plays the cello.", tags: ["music"], document_id: "cello" },
    { content: "Carol bakes bread.", document_id: "bread" },
  ],
  { documentTags: ["people"] },
);
await client.retain(bank, "And honey too.", { documentId: "bees", updateMode: "append", tags: ["animals"] });
seen.queued = await client.retain(bank, "Dora paints.", { async: true });

seen.recall = await client.recall(bank, "Who keeps bees?", {
  types: ["world", "experience", "observation"],
  budget: "low",
  maxTokens: 2000,
  trace: true,
  queryTimestamp: "2026-03-02T00:00:00Z",
  includeEntities: true,
  includeChunks: true,
  includeSourceFacts: true,
  minScores: { final: 0 },
});
const texts = async (options) => (await client.recall(bank, "bees cello bread", options)).results.map((r) => r.text);
seen.tagged = await texts({ tags: ["music"], tagsMatch: "any_strict" });
seen.grouped = await texts({ tagGroups: [{ not: { tags: ["animals"], match: "any_strict" } }] });

seen.memories = (await client.listMemories(bank, { q: "cello", limit: 5 })).items.map((m) => m.text);
seen.documents = (await client.listDocuments(bank)).items.map((d) => d.id).sort();
seen.document = (await client.getDocument(bank, "bees")).original_text;
seen.updated = (await client.updateDocument(bank, "bread", { tags: ["food"] })).success;
seen.retagged = await texts({ tags: ["food"], tagsMatch: "any_strict" });
await client.deleteDocument(bank, "cello");
seen.gone = await client.getDocument(bank, "cello");

seen.configured = (await client.updateBankConfig(bank, { retainChunkSize: 700 })).overrides;
seen.config = (await client.getBankConfig(bank)).config.retain_chunk_size;
seen.reset = (await client.resetBankConfig(bank)).overrides;
await client.deleteBank(bank);
seen.afterwards = await client.recall(bank, "bees").then(
  () => "answered",
  (error) => String(error.statusCode ?? error.message),
);

console.log(JSON.stringify(seen));
