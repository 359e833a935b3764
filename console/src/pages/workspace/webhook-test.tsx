/** Sends a test event to the receiver of a workspace, and shows what it answers. */
import { useState } from 'react';
import { callTo } from '../../api/call.ts';
import { TextField } from '../../parts/field/field.tsx';
import { TryCard } from '../../parts/form/try-card.tsx';

export function WebhookTest({ id }: { id: string }) {
  const [url, setUrl] = useState('');
  const body = url.trim() === '' ? {} : { url: url.trim() };
  const call = callTo('POST', '/workspaces/{id}/webhook/test', { path: { id }, body });
  const hint = 'Empty: the default callback URL.';
  return (
    <TryCard title="Test of the webhook" call={call} action="Send a test event">
      {(answer) => (
        <>
          <TextField label="URL" hint={hint} type="url" value={url} onText={setUrl} />
          {answer !== undefined && (
            <div role="status">
              <p>
                {answer.data.passed ? 'The receiver accepted it' : 'The receiver did not accept it'}
                {answer.data.status_code !== null && ` with status ${answer.data.status_code}`}.{' '}
                {answer.data.reason}
              </p>
              {answer.data.response_excerpt && <pre>{answer.data.response_excerpt}</pre>}
            </div>
          )}
        </>
      )}
    </TryCard>
  );
}
