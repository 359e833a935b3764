/** Tells the present minute, so that ranges which end now move on without a query for each second. */
import { useEffect, useState } from 'react';

const MINUTE_MS = 60_000;

const present = (): number => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;

/** Returns the start of the present minute, in milliseconds. */
export function useMinute(): number {
  const [minute, setMinute] = useState(present);
  useEffect(() => {
    const timer = setInterval(() => setMinute(present()), MINUTE_MS / 4);
    return () => clearInterval(timer);
  }, []);
  return minute;
}
