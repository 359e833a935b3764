/** Sends a test event to the receiver of a workspace, and shows what it answers. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { callTo } from '../../api/call.ts';
import { Button } from '../../parts/button/button.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { TextField } from '../../parts/field/field.tsx';
import { Card } from '../../parts/page/page.tsx';
import { ProblemBox } from '../../parts/states/states.tsx';

export function WebhookTest({ id }: { id: string }) {
  const [url, setUrl] = useState('');
  const body = url.trim() === '' ? {} : { url: url.trim() };
  const call = callTo('POST', '/workspaces/{id}/webhook/test', { path: { id }, body });
  const test = useMutation({ mutationFn: () => call.send() });
  const result = test.data?.data;
  return (
    <Card
      title="Test of the webhook"
      actions={
        <>
          <CopyCurl call={call} />
          <Button busy={test.isPending} onClick={() => test.mutate()}>
            Send a test event
          </Button>
        </>
      }
    >
      <TextField label="URL" hint="Empty: the default callback URL." type="url" value={url} onText={setUrl} />
      {result !== undefined && (
        <div role="status">
          <p>
            {result.passed ? 'The receiver accepted it' : 'The receiver did not accept it'}
            {result.status_code !== null && ` with status ${result.status_code}`}. {result.reason}
          </p>
          {result.response_excerpt && <pre>{result.response_excerpt}</pre>}
        </div>
      )}
      {test.error !== null && <ProblemBox error={test.error} />}
    </Card>
  );
}
