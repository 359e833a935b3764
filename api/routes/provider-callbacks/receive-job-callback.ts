import { operations } from '../../../contract/operations.ts';
import { AppError } from '../../../domain/errors.ts';
import { defineRoute } from '../../route.ts';

export const receiveJobCallback = defineRoute(
  operations.receiveJobCallback,
  async ({ params, query, rawHeaders: headers, rawBody: body }, { services }) => {
    const { provider, jobId: id } = params;
    const job = { id, token: query.token ?? '' };
    if (!(await services.callbacks.receive({ provider, headers, body, job })))
      throw new AppError('not_found');
    return { status: 200, body: { received: true } };
  },
);
