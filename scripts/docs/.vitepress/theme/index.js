/** VitePress's own theme, with diagrams. */
import DefaultTheme from "vitepress/theme"
import MermaidDiagram from "./MermaidDiagram.vue"
// oxlint-disable-next-line import/no-unassigned-import
import "./style.css"

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component("MermaidDiagram", MermaidDiagram)
  }
}
