import { testClient } from './client-suite.ts';

testClient({
  name: 'cohere',
  script: 'cohere_client.py',
  environment: 'newest',
  expected: {
    rerank: [[1], '2', 1],
    errors: {
      key: ['UnauthorizedError', 401, 'Missing Authentication header'],
      model: [
        'NotFoundError',
        404,
        'no/such is not a model that this deployment can reach. GET /models lists the models.',
      ],
      request: ['BadRequestError', 400, 'Invalid request parameters'],
    },
    in_async: [1, 0],
  },
});
