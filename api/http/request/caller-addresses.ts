/** Decides which address a request comes from. All bounds on addresses use it. */
import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Address, contains, type Range } from '../../../platform/address-ranges.ts';

/** The other end of a connection. */
export interface Peer {
  address: string;
  isTrustedProxy: boolean;
}

/** Finds addresses. One IPv6 customer has a whole /64, so each /64 counts as one address. */
export interface CallerAddresses {
  peerOf(socket: Socket): Peer;
  /** Returns the address of the caller: that of the peer, or the one that a trusted proxy names. */
  callerOf(request: IncomingMessage): string;
  /** Returns whether headers that a proxy sets are believed. Without a list of proxies, they are. */
  believesHeaders(request: IncomingMessage): boolean;
}

/** The address of a connection that was closed before its address was read. */
const UNKNOWN = 'unknown';

export function createCallerAddresses(trustedProxies: readonly string[]): CallerAddresses {
  const ranges = trustedProxies.map((cidr): Range => ipaddr.parseCIDR(cidr));
  const isTrusted = (address: Address): boolean => ranges.some((range) => contains(range, address));
  const peers = new WeakMap<Socket, Peer>();
  const readPeer = (socket: Socket): Peer => {
    const address = parseAddress(socket.remoteAddress);
    if (address === undefined) return { address: UNKNOWN, isTrustedProxy: false };
    return { address: groupOf(address), isTrustedProxy: isTrusted(address) };
  };
  const peerOf = (socket: Socket): Peer => {
    let peer = peers.get(socket);
    if (peer === undefined) peers.set(socket, (peer = readPeer(socket)));
    return peer;
  };
  return {
    peerOf,
    callerOf(request) {
      const peer = peerOf(request.socket);
      let caller = peer.address;
      if (!peer.isTrustedProxy) return caller;
      for (const hop of hopsOf(request)) {
        const address = parseAddress(hop);
        if (address === undefined) break;
        caller = groupOf(address);
        // An address further away was named by this one, which may have made it up.
        if (!isTrusted(address)) break;
      }
      return caller;
    },
    believesHeaders: ({ socket }) => ranges.length === 0 || peerOf(socket).isTrustedProxy,
  };
}

/** Returns the addresses that the proxies of a request name, the nearest first. */
function hopsOf({ headers }: IncomingMessage): (string | undefined)[] {
  const forwardedFor = headers['x-forwarded-for'];
  if (forwardedFor !== undefined) return String(forwardedFor).split(',').toReversed();
  const elements = headers.forwarded?.split(',').toReversed() ?? [];
  return elements.map((element) => /(?:^|;)\s*for\s*=\s*"?([^";]+)/i.exec(element)?.[1]);
}

/** Parses an address, perhaps with a port, as some proxies write it. Returns undefined for names and other texts. */
function parseAddress(text: string | undefined): Address | undefined {
  const trimmed = text?.trim() ?? '';
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? trimmed.replace(/^([\d.]+):\d+$/, '$1');
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare);
}

function groupOf(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
