/** Prints an answer while the model writes it, with the `@anthropic-ai/sdk` package, and the tokens that it used. */
import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  // This client adds /v1 itself.
  baseURL: (process.env['BASE_URL'] ?? 'http://127.0.0.1:8080/api/v1').replace(/\/v1$/, ''),
  apiKey: process.env['API_KEY'],
});

const stream = client.messages.stream({
  model: 'local/echo-1',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'Hello there' }],
});
stream.on('text', (text) => process.stdout.write(text));
const { usage } = await stream.finalMessage();
console.log(`\n${usage.input_tokens + usage.output_tokens} tokens`);
