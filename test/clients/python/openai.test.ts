import { testClient } from './client-suite.ts';

const SAID = 'You said: Hello there';

testClient({
  name: 'openai',
  script: 'openai_client.py',
  environment: 'newest',
  expected: {
    chat: SAID,
    stream: [SAID, true],
    completions: [SAID, SAID],
    tools: ['weather', { city: 'Oslo' }, 'The tool said: Rain'],
    streamed_tools: ['weather', { city: 'Oslo' }],
    structured: 'Place',
    vision: 'You said: See [image_url]',
    embeddings: [8, 8],
    images: true,
    speech: ['audio/mpeg', true],
    responses: SAID,
    streamed_responses: [SAID, 'completed'],
    responses_tools: ['weather', 'The tool said: Rain'],
    responses_structured: 'Place',
    models: [true, 'local'],
    errors: {
      key: ['AuthenticationError', 401, true],
      model: ['NotFoundError', 404, true],
      request: ['BadRequestError', 400, true],
      transcription: ['NotFoundError', 404, true],
    },
    in_async: [SAID, SAID, SAID, true],
  },
});
