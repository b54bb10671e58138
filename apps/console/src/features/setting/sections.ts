import { type OptionKey, type OptionSection, type OptionTab, optionKeys, optionRow, optionSections } from '@sluice/contract'

/** The sections of a page with their options, in the order of the contract's tables. */
export function sectionsOf(tab: OptionTab): readonly { readonly section: OptionSection; readonly keys: readonly OptionKey[] }[] {
  return optionSections[tab].map((name) => {
    // Holds: made of a tab and one of its sections.
    const section = `${tab}.${name}` as OptionSection
    return { section, keys: optionKeys.filter((key) => optionRow(key).section === section) }
  })
}

/** The page that shows an option. */
export function tabOf(key: OptionKey): OptionTab {
  // Holds: the name of a section begins with its tab.
  return optionRow(key).section.split('.')[0] as OptionTab
}

/** Whether a page shows options. */
export function isOptionTab(id: string): id is OptionTab {
  return Object.hasOwn(optionSections, id)
}

/** The anchor of a section, as in `/setting?tab=system#smtp`. */
export function anchorOf(section: OptionSection): string {
  return section.slice(section.indexOf('.') + 1)
}
