/** Asks a model with the `openai` package and prints its answer. */
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: process.env['BASE_URL'] ?? 'http://127.0.0.1:8080/api/v1',
  apiKey: process.env['API_KEY'],
});

const answer = await client.chat.completions.create({
  model: 'local/echo-1',
  messages: [{ role: 'user', content: 'Hello there' }],
});
console.log(answer.choices[0]?.message.content);
