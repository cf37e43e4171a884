namespace VectorPipe.Tool.Explaining;

/// <summary>The style of the page, in light and dark.</summary>
/// <remarks>It has no character that XML would escape: browsers take the text as it stands.</remarks>
internal static class PageStyle
{
    // The hues are those of Okabe and Ito, which people with colour blindness can tell apart.
    public const string Css = """

        :root {
          --paper: #fbfaf7; --card: #ffffff; --ink: #1c2128; --soft: #5b6470; --rule: #e2e0da; --wait: #e9e7e1;
          --read: #3b82c4; --compute: #efb366; --score: #d55e00; --follow: #00805f; --queue: #b9b3c9; --mark: #b3470b;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #14171c; --card: #1b1f26; --ink: #e8e6e1; --soft: #a2abb6; --rule: #313843; --wait: #2b313a;
            --read: #5fa8e6; --compute: #c9934b; --score: #f08a3c; --follow: #35b892; --queue: #7d7794; --mark: #ff9c57;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; background: var(--paper); color: var(--ink);
          font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere;
        }
        main { max-width: 1080px; margin: 0 auto; padding: 40px 24px 64px; }
        h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 24px; font-weight: 650; letter-spacing: -0.01em; }
        h2 { font-size: 1.2rem; margin: 0 0 16px; font-weight: 650; }
        h3 { font-size: 0.95rem; margin: 0 0 8px; font-weight: 650; }
        .over { margin: 0 0 4px; color: var(--soft); font-size: 0.85rem; font-family: ui-monospace, Consolas, monospace; }
        .lead { max-width: 72ch; margin: 0 0 32px; }
        section { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 24px; margin: 0 0 24px; }
        .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 12px; margin: 0 0 24px; }
        .tiles div { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 12px 16px; }
        .tiles dt { color: var(--soft); font-size: 0.8rem; }
        .tiles dd { margin: 0; font-size: 1.45rem; font-weight: 650; font-variant-numeric: tabular-nums; }
        figure { margin: 0; }
        figcaption { color: var(--soft); font-size: 0.9rem; margin-top: 8px; }
        svg { display: block; max-width: 100%; font-family: inherit; }
        svg text { fill: var(--soft); }
        .timeline .grid { stroke: var(--rule); }
        .timeline .answer { stroke: var(--ink); stroke-width: 1.5; }
        .read { fill: var(--read); background: var(--read); }
        .read.open { fill: none; stroke: var(--read); stroke-dasharray: 3 2; }
        .wait { fill: var(--wait); background: var(--wait); }
        .compute { fill: var(--compute); background: var(--compute); }
        .score { fill: var(--score); background: var(--score); }
        .follow { fill: var(--follow); background: var(--follow); }
        .queue { background: var(--queue); }
        .alone { background: var(--compute); }
        .beside { background: repeating-linear-gradient(135deg, var(--compute) 0 5px, var(--read) 5px 10px); }
        .swatch.beside { background: linear-gradient(135deg, var(--compute) 0 50%, var(--read) 50%); }
        .swatch.answer { width: 2px; border-radius: 0; background: var(--ink); margin: 0 11px 0 5px; }
        .key { display: inline-block; margin-right: 18px; }
        .swatch { display: inline-block; width: 12px; height: 12px; border-radius: 3px; margin-right: 6px; vertical-align: -1px; }
        .shares { margin-top: 24px; }
        .bar { display: flex; height: 26px; border-radius: 6px; overflow: hidden; }
        .bar span { flex-basis: 0; }
        .keys { margin: 8px 0 0; color: var(--soft); font-size: 0.9rem; font-variant-numeric: tabular-nums; }
        .beside-text { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 24px; align-items: center; }
        .beside-text figcaption { margin: 0; }
        .recall { width: 100%; max-width: 640px; }
        .recall .panel line { stroke: var(--rule); }
        .recall .plot { stroke: var(--soft); }
        .recall .series polyline { stroke: var(--read); stroke-width: 2; }
        .recall .marker { stroke: var(--read); fill: var(--card); }
        .recall .chosen .marker { stroke: var(--mark); fill: var(--mark); }
        .recall .drop { stroke: var(--mark); stroke-dasharray: 4 3; }
        .recall .search { stroke: var(--soft); stroke-dasharray: 2 3; }
        .recall text.chosen { fill: var(--mark); font-weight: 650; stroke: var(--card); }
        .recall text.chosen, .recall text.search { paint-order: stroke; stroke-width: 5px; stroke-linejoin: round; }
        .recall text.search { stroke: var(--card); stroke-dasharray: none; }
        .reasons { display: grid; grid-template-columns: 90px minmax(0, 1fr); gap: 8px 16px; margin: 0; }
        .reasons dt { color: var(--soft); }
        .reasons dd { margin: 0; }
        .tables { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 32px; }
        .hits { max-height: 560px; overflow-y: auto; }
        table { width: 100%; table-layout: fixed; border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
        th { text-align: left; font-weight: 400; color: var(--soft); width: 60%; }
        th, td { padding: 5px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
        td { text-align: right; padding-left: 12px; }
        .hits td:first-child, .hits td:nth-child(2) { text-align: left; padding-left: 0; padding-right: 12px; }
        .hits th { width: auto; }
        .hits th:first-child { width: 3rem; }
        .hits th:last-child { text-align: right; width: 5.5rem; }
        @media (max-width: 820px) {
          main { padding: 24px 14px 40px; }
          section { padding: 16px; }
          .tables, .beside-text { grid-template-columns: minmax(0, 1fr); }
          .reasons { grid-template-columns: minmax(0, 1fr); gap: 0; }
          .reasons dd { margin-bottom: 10px; }
        }
        @media (max-width: 480px) {
          .recall text { font-size: 15px; }
        }
        """;
}
