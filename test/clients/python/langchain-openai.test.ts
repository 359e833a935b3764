import { testClient } from './client-suite.ts';

const SAID = 'You said: Hello there';
const ROUND = ['weather', { city: 'Oslo' }, 'The tool said: Rain in Oslo'];

testClient({
  name: 'langchain-openai',
  script: 'langchain_openai_client.py',
  environment: 'newest',
  expected: {
    chat: [SAID, true],
    stream: SAID,
    tools: ROUND,
    structured: ['Place', 'Place'],
    vision: 'You said: See [image_url]',
    responses: SAID,
    streamed_responses: SAID,
    responses_tools: ROUND,
    embeddings: [8, 8],
    errors: {
      key: ['AuthenticationError', 401],
      model: ['NotFoundError', 404],
      request: ['BadRequestError', 400],
    },
    in_async: [SAID, SAID],
  },
});
