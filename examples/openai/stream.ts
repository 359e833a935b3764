/** Prints an answer while the model writes it, with the `openai` package, and the tokens that it used. */
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: process.env['BASE_URL'] ?? 'http://127.0.0.1:8080/api/v1',
  apiKey: process.env['API_KEY'],
});

const stream = await client.chat.completions.create({
  model: 'local/echo-1',
  messages: [{ role: 'user', content: 'Hello there' }],
  stream: true,
});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '');
  if (chunk.usage) console.log(`\n${chunk.usage.total_tokens} tokens`);
}
