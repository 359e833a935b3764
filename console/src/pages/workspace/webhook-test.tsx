/** Sends a test event to the receiver of a workspace, and shows what it answers. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { Button } from '../../parts/button/button.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { TextField } from '../../parts/field/field.tsx';
import { Card } from '../../parts/page/page.tsx';
import { ProblemBox } from '../../parts/states/states.tsx';

export function WebhookTest({ id }: { id: string }) {
  const [url, setUrl] = useState('');
  const body = url.trim() === '' ? {} : { url: url.trim() };
  const test = useMutation({
    mutationFn: async () =>
      (await read(api.POST('/workspaces/{id}/webhook/test', { params: { path: { id } }, body }))).data,
  });
  return (
    <Card
      title="Test of the webhook"
      actions={
        <>
          <CopyCurl call={{ method: 'POST', path: `/workspaces/${id}/webhook/test`, body }} />
          <Button busy={test.isPending} onClick={() => test.mutate()}>
            Send a test event
          </Button>
        </>
      }
    >
      <TextField
        label="URL"
        hint="Empty: the default callback URL."
        type="url"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      {test.data !== undefined && (
        <div role="status">
          <p>
            {test.data.passed ? 'The receiver accepted it' : 'The receiver did not accept it'}
            {test.data.status_code !== null && ` with status ${test.data.status_code}`}. {test.data.reason}
          </p>
          {test.data.response_excerpt && <pre>{test.data.response_excerpt}</pre>}
        </div>
      )}
      {test.error !== null && <ProblemBox error={test.error} />}
    </Card>
  );
}
