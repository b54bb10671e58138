import type { FormKey } from './messages/form-en.ts'

/**
 * The recommended scripts of Unicode (UAX #31, table 5), without those that appear in any text. Chinese, Japanese and Korean names mix some,
 * which do not look alike.
 */
const scripts: readonly RegExp[] = [
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]*$/u,
  /^\p{Script=Arabic}*$/u,
  /^\p{Script=Armenian}*$/u,
  /^\p{Script=Bengali}*$/u,
  /^\p{Script=Cyrillic}*$/u,
  /^\p{Script=Devanagari}*$/u,
  /^\p{Script=Ethiopic}*$/u,
  /^\p{Script=Georgian}*$/u,
  /^\p{Script=Greek}*$/u,
  /^\p{Script=Gujarati}*$/u,
  /^\p{Script=Gurmukhi}*$/u,
  /^\p{Script=Hebrew}*$/u,
  /^\p{Script=Kannada}*$/u,
  /^\p{Script=Khmer}*$/u,
  /^\p{Script=Lao}*$/u,
  /^\p{Script=Malayalam}*$/u,
  /^\p{Script=Myanmar}*$/u,
  /^\p{Script=Oriya}*$/u,
  /^\p{Script=Sinhala}*$/u,
  /^\p{Script=Tamil}*$/u,
  /^\p{Script=Telugu}*$/u,
  /^\p{Script=Thaana}*$/u,
  /^\p{Script=Thai}*$/u,
  /^\p{Script=Tibetan}*$/u,
]

/** Letters, their marks, digits, and signs that are plain in every font; single spaces between them. */
const plain = /^[\p{L}\p{M}\p{Nd}._@+\-'·]+(?: [\p{L}\p{M}\p{Nd}._@+\-'·]+)*$/u

/** Characters that are not seen, although Unicode counts some of them as letters. */
const invisible = /\p{Default_Ignorable_Code_Point}/u

/** Marks that pile up over other lines. */
const piled = /^\p{M}|\p{M}{4}/u

const withoutScript = /[\p{Script=Common}\p{Script=Inherited}]/gu

/**
 * Why a name could be taken for another one; `null` = it could not. Only for names that are chosen from now on: existing and imported ones
 * stay valid.
 */
export function usernameProblem(name: string): FormKey | null {
  if (!plain.test(name) || invisible.test(name) || piled.test(name) || name !== name.normalize('NFKC')) return 'username_characters'
  const lettered = name.replace(withoutScript, '')
  if (!scripts.some((script) => script.test(lettered))) return 'username_scripts'
  return isTrustedUsername(name) && !trustedNames.has(name) ? 'username_reserved' : null
}

/** Letters and digits that look like Latin letters in common fonts (Unicode's confusables.txt, those of the names above). */
const lookalikes: Readonly<Record<string, string>> = {
  ...{ '0': 'o', '1': 'l', '5': 's', '@': 'a', ı: 'i', ɩ: 'i', ɑ: 'a' },
  ...{
    а: 'a',
    е: 'e',
    о: 'o',
    р: 'p',
    с: 'c',
    т: 't',
    у: 'y',
    ѕ: 's',
    і: 'i',
    ԁ: 'd',
    м: 'm',
    п: 'n',
    г: 'r',
    ӏ: 'l',
    ԛ: 'q',
    ѵ: 'v',
    и: 'u',
  },
  ...{ α: 'a', ο: 'o', ρ: 'p', τ: 't', υ: 'u', ι: 'i', ν: 'v', ѡ: 'w', օ: 'o', ս: 'u', ո: 'n', տ: 's' },
}

/** Two names with one skeleton are taken for each other. */
function skeletonOf(name: string): string {
  const bare = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}\s._+\-'·]/gu, '')
  return [...bare]
    .map((letter) => lookalikes[letter] ?? letter)
    .join('')
    .replaceAll('l', 'i')
}

/** Names of accounts and roles that others trust. */
const trustedNames: ReadonlySet<string> = new Set([
  'root',
  'admin',
  'administrator',
  'superadmin',
  'superuser',
  'system',
  'sysadmin',
  'sluice',
  'support',
])
const trustedSkeletons: ReadonlySet<string> = new Set([...trustedNames].map(skeletonOf))

/** Whether the name is, or looks like, one that others trust. */
export function isTrustedUsername(name: string): boolean {
  return trustedSkeletons.has(skeletonOf(name))
}
