const browsers: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bMicroMessenger\//, 'WeChat'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const systems: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** Browser and system in the header of a browser, or the name of a program; empty = the header is empty. */
export function deviceOf(userAgent: string): string {
  const nameIn = (forms: ReadonlyArray<readonly [RegExp, string]>): string => forms.find(([form]) => form.test(userAgent))?.[1] ?? ''
  const names = [nameIn(browsers), nameIn(systems)].filter((name) => name !== '')
  return names.length > 0 ? names.join(' · ') : (userAgent.split(/[/\s]/)[0] ?? '')
}
