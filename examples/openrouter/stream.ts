/** Prints an answer while the model writes it, with the `@openrouter/sdk` package, and the tokens that it used. */
import { OpenRouter } from '@openrouter/sdk';

const client = new OpenRouter({
  serverURL: process.env['BASE_URL'] ?? 'http://127.0.0.1:8080/api/v1',
  apiKey: process.env['API_KEY'] ?? '',
});

const answer = await client.chat.send({
  chatRequest: {
    model: 'local/echo-1',
    messages: [{ role: 'user', content: 'Hello there' }],
    stream: true,
  },
});
// The types of the package do not know that a request with `stream` is answered by a stream.
if ('choices' in answer) throw new Error('the answer is no stream');
for await (const chunk of answer) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '');
  if (chunk.usage) console.log(`\n${chunk.usage.totalTokens} tokens`);
}
