/** Asks a model with the `@openrouter/sdk` package and prints its answer. */
import { OpenRouter } from '@openrouter/sdk';

const client = new OpenRouter({
  serverURL: process.env['BASE_URL'] ?? 'http://127.0.0.1:8080/api/v1',
  apiKey: process.env['API_KEY'] ?? '',
});

const answer = await client.chat.send({
  chatRequest: { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hello there' }] },
});
// The types of the package do not know that only a request with `stream` is answered by a stream.
if ('choices' in answer) console.log(answer.choices[0]?.message.content);
