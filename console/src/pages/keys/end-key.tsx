/** Disables, enables and deletes a key, after asking. */
import { callTo } from '../../api/call.ts';
import { Confirm } from '../../parts/dialog/confirm.tsx';
import { Moment } from '../../parts/value/value.tsx';
import type { Key } from './key-form.tsx';

interface EndKeyProps {
  subject: Key;
  onClose: () => void;
}

export function SwitchKey({ subject: { hash, name, disabled, last_used_at: used }, onClose }: EndKeyProps) {
  const [path, body] = [{ hash }, { disabled: !disabled }];
  return (
    <Confirm
      title={`${disabled ? 'Enable' : 'Disable'} “${name}”?`}
      action={disabled ? 'Enable key' : 'Disable key'}
      call={callTo('PATCH', '/keys/{hash}', { path, body })}
      onClose={onClose}
    >
      {disabled ? (
        <p>Requests with this key are accepted again.</p>
      ) : (
        <p>
          Within a second, every request with this key is refused, and sessions of this console that began
          with it end. <LastUse at={used} />
        </p>
      )}
    </Confirm>
  );
}

export function DeleteKey({ subject: { hash, name, last_used_at: used }, onClose }: EndKeyProps) {
  return (
    <Confirm
      title={`Delete “${name}”?`}
      action="Delete key"
      call={callTo('DELETE', '/keys/{hash}', { path: { hash } })}
      onClose={onClose}
    >
      <p>
        The key stops working within a second and cannot be brought back. Its usage stays in the overview.{' '}
        <LastUse at={used} />
      </p>
    </Confirm>
  );
}

function LastUse({ at }: { at: string | null }) {
  if (at === null) return <>It was never used.</>;
  return (
    <>
      It was last used <Moment at={at} isRelative />.
    </>
  );
}
