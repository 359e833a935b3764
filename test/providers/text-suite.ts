import { describeChatAnswers } from './chat-answers.ts';
import { describeChatStreams } from './chat-streams.ts';
import { describeEmbeddings } from './embeddings-promises.ts';
import { type TextAdapterUnderTest, setUpTextAdapter } from './text-adapter-under-test.ts';
import { describeTextConnections } from './text-connections.ts';
import { describeTextFailures } from './text-failures.ts';

/**
 * The promises of ChatAdapter and EmbeddingsAdapter, which every adapter of OpenAI's wire keeps, tested over HTTP
 * against the local upstream.
 */
export function describeTextAdapter(name: string): TextAdapterUnderTest {
  const adapter = setUpTextAdapter(name);
  describeChatAnswers(adapter);
  describeChatStreams(adapter);
  describeEmbeddings(adapter);
  describeTextFailures(adapter);
  describeTextConnections(adapter);
  return adapter;
}
