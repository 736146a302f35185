/** Addresses that no webhook may reach, in every spelling that a URL can give them. */

const v4: ReadonlyArray<readonly [string, string]> = [
  ["unspecified", "0.0.0.0"],
  ["unspecified", "0.255.255.255"],
  ["private", "10.0.0.0"],
  ["private", "10.255.255.255"],
  ["CGNAT", "100.64.0.1"],
  ["CGNAT", "100.127.255.255"],
  ["metadata", "100.100.100.200"],
  ["loopback", "127.0.0.1"],
  ["loopback", "127.255.255.254"],
  ["link-local", "169.254.0.1"],
  ["metadata", "169.254.169.254"],
  ["metadata", "168.63.129.16"],
  ["private", "172.16.0.1"],
  ["private", "172.31.255.255"],
  ["protocol", "192.0.0.8"],
  ["metadata", "192.0.0.192"],
  ["documentation", "192.0.2.1"],
  ["6to4 relay", "192.88.99.1"],
  ["AS112", "192.31.196.1"],
  ["AMT", "192.52.193.1"],
  ["AS112", "192.175.48.1"],
  ["private", "192.168.0.1"],
  ["benchmark", "198.18.0.1"],
  ["benchmark", "198.19.255.255"],
  ["documentation", "198.51.100.1"],
  ["documentation", "203.0.113.9"],
  ["multicast", "224.0.0.1"],
  ["multicast", "239.255.255.255"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"]
]

const v6: ReadonlyArray<string> = [
  "::",
  "::1",
  "0:0:0:0:0:0:0:1",
  "fc00::1",
  "fd00:ec2::254",
  "fd12:3456:789a::1",
  "fe80::1",
  "febf::1",
  "fec0::1",
  "ff02::1",
  "ff0e::1",
  "100::1",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:30::1",
  "2001:4:112::1",
  "2001:1::1",
  "2001:1ff:ffff::1",
  "2001:db8::1",
  "2620:4f:8000::1",
  "3fff::1",
  "3fff:fff::1",
  "4000::1",
  "5f00::1",
  "64:ff9b::1",
  "1fff::1"
]

const hex = (n: number, width: number): string => n.toString(16).padStart(width, "0")

/** As parts of a URL: what stands between `//` and the path. */
const spellings = (address: string): ReadonlyArray<string> => {
  const [a, b, c, d] = address.split(".").map(Number) as [number, number, number, number]
  const number = ((a * 256 + b) * 256 + c) * 256 + d
  const high = hex(a * 256 + b, 4)
  const low = hex(c * 256 + d, 4)
  const octal = (n: number): string => `0${n.toString(8)}`
  return [
    address,
    `${address}.`,
    String(number),
    `0x${hex(number, 8)}`,
    octal(number),
    [a, b, c, d].map((n) => `0x${n.toString(16)}`).join("."),
    [a, b, c, d].map(octal).join("."),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `0x${a.toString(16)}.${b}.${octal(c * 256 + d)}`,
    Array.from(address, (character) =>
      character === "." ? "。" : String.fromCodePoint(0xff10 + Number(character))
    ).join(""),
    Array.from(address, (character) => `%${hex(character.charCodeAt(0), 2)}`).join(""),
    `[::ffff:${address}]`,
    `[::ffff:${high}:${low}]`,
    `[::${address}]`,
    `[0:0:0:0:ffff:0:${high}:${low}]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:4136:e378:8000:63bf:${hex(0xffff - (a * 256 + b), 4)}:${hex(0xffff - (c * 256 + d), 4)}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${address}]`,
    `[2a00:1450:4001::5efe:${high}:${low}]`
  ]
}

/** Every spelling of every address, as an address to be resolved to. */
export const hostileAddresses: ReadonlyArray<string> = [
  ...v4.map(([, address]) => address),
  ...v6,
  ...v4.flatMap(([, address]) =>
    spellings(address)
      .filter((spelling) => spelling.startsWith("["))
      .map((spelling) => spelling.slice(1, -1))
  )
]

export const hostileUrls: ReadonlyArray<string> = [
  ...v4.flatMap(([, address]) => spellings(address).map((host) => `https://${host}/hook`)),
  ...v6.map((address) => `https://[${address}]/hook`)
]

/** Refused for what they are, wherever they lead. */
export const hostileForms: ReadonlyArray<string> = [
  "http://hooks.example.com/hook",
  "http://8.8.8.8/hook",
  "https://user@hooks.example.com/hook",
  "https://user:password@hooks.example.com/hook",
  "https://hooks.example.com/hook#fragment",
  "https://hooks.example.com/hook#",
  "https://hooks.example.com:0/hook",
  "ftp://hooks.example.com/hook",
  "file:///etc/passwd",
  "gopher://127.0.0.1:6379/_INFO",
  "javascript:alert(1)",
  "data:text/plain,x",
  "//hooks.example.com/hook",
  "hooks.example.com/hook",
  "/hook",
  "https://",
  "https://[::1",
  "https://exa mple.com/",
  "https://999.999.999.999/",
  "ht\ntps://127.0.0.1/",
  "https:\\\\127.0.0.1\\hook",
  "https:///127.0.0.1/hook",
  "https:///hooks.example.com/hook",
  "https:////hooks.example.com/hook",
  "https:hooks.example.com/hook",
  "https:/hooks.example.com/hook",
  "https://:443/hook",
  "https://@hooks.example.com/hook",
  "https:\\\\hooks.example.com\\hook",
  "https://hooks.example.com\\hook",
  " https://hooks.example.com/hook",
  "https://hooks.example.com/hook\t",
  "https://hooks.example.com/a b",
  "https://hooks.example.com/ä",
  "https://hooks.example.com/?q=%zz",
  "https://hooks.example.com/%",
  "https://hooks.example.com:port/hook",
  "https://höoks.example.com/hook",
  "https://internal/hook",
  "https://internal./hook",
  "https://public-for-now/hook",
  "https://public-for-now:8443/hook",
  "https://public-for-now./hook",
  "http://public-for-now/hook",
  "https://localhost/hook",
  "https://8.8.8.8@127.0.0.1/hook",
  "https://127.0.0.1:443\\@hooks.example.com/"
]
