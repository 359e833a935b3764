/** Recognizes the addresses at which this gateway itself is reached. */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { regionalHosts } from '../domain/interns/regional-host.ts';

/** The addresses of the gateway, which URLs of customers must not name: the gateway would call itself. */
export interface OwnAddresses {
  /** Returns whether clients reach the gateway under this host and port. `host` is normalized by WHATWG URL parsing. */
  isPublicHost(host: string, port: number): boolean;
  /** Returns whether the API listens on this address and port. */
  isListener(address: string, port: number): boolean;
  /** Sets the port of the listener, once the system has chosen it. */
  listensOn(port: number): void;
}

export interface OwnAddressesOptions {
  publicUrl: string;
  /** Further origins under which clients reach the gateway. */
  publicAliases: readonly string[];
  /** The address that the API listens on. */
  host: string;
  /** The port that the API listens on; 0 if the system chooses it. */
  port: number;
}

/** The ports of http and https. Proxies usually serve both under a public host, or redirect from one to the other. */
const DEFAULT_PORTS = [80, 443];

export function createOwnAddresses(options: OwnAddressesOptions): OwnAddresses {
  const { publicUrl, publicAliases, host, port } = options;
  const publicHosts = new Set([publicUrl, ...publicAliases].flatMap(hostsOf));
  const bound = isIP(host) === 0 ? undefined : plainAddress(host);
  let listening = port;
  return {
    isPublicHost: (name, at) => publicHosts.has(`${name}:${at}`),
    isListener(text, at) {
      if (at !== listening || isIP(text) === 0) return false;
      const address = plainAddress(text);
      const isOfMachine = bound === undefined || bound.range() === 'unspecified';
      return isOfMachine ? isLocal(address) : address.toString() === bound.toString();
    },
    listensOn(chosen) {
      listening = chosen;
    },
  };
}

/** Returns the port of a URL or a connection, also when it is the default one of its scheme. */
export function portOf({ protocol, port }: { protocol: string; port: string }): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** Returns the host of an origin and its regional hosts, each with its ports. */
function hostsOf(origin: string): string[] {
  const url = new URL(origin);
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '');
  const port = portOf(url);
  const ports = DEFAULT_PORTS.includes(port) ? DEFAULT_PORTS : [port];
  return [host, ...regionalHosts(host)].flatMap((name) => ports.map((each) => `${name}:${each}`));
}

/** Returns whether an address belongs to this machine. A connection to the unspecified address stays on it too. */
function isLocal(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (['loopback', 'unspecified'].includes(address.range())) return true;
  const own = Object.values(networkInterfaces()).flatMap((all = []) => all);
  return own.some((one) => plainAddress(one.address).toString() === address.toString());
}

/** Parses an address, without the zone and the IPv6 form of an IPv4 address. */
function plainAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return ipaddr.process(text.replace(/%.*$/, ''));
}
