// The tabs beside the editor, with the keys that the ARIA practices name.

/** Shows the panel of a tab when it is chosen; gives the way to choose one from elsewhere. */
export function setUpTabs(list: HTMLElement, chosen: (panel: string) => void): (panel: string) => void {
  const tabs = [...list.querySelectorAll<HTMLElement>('[role=tab]')]
  const panelOf = (tab: HTMLElement) => tab.getAttribute('aria-controls') ?? ''
  const choose = (tab: HTMLElement) => {
    for (const other of tabs) {
      const selected = other === tab
      other.setAttribute('aria-selected', String(selected))
      other.tabIndex = selected ? 0 : -1
      const panel = document.getElementById(panelOf(other))
      if (panel !== null) panel.hidden = !selected
    }
    chosen(panelOf(tab))
  }
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener('click', () => choose(tab))
    tab.addEventListener('keydown', ({ key }) => {
      const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[key]
      const target = next === undefined ? undefined : tabs.at(next % tabs.length)
      if (target === undefined) return
      target.focus()
      choose(target)
    })
  }
  return (panel) => {
    const tab = tabs.find((candidate) => panelOf(candidate) === panel)
    if (tab !== undefined) choose(tab)
  }
}
