using System.Xml.Linq;

namespace VectorPipe.Tool.Explaining;

/// <summary>Composes the page that explains a search: one document, which refers to nothing outside of it.</summary>
internal static class ExplainPage
{
    /// <summary>The page as HTML, which is well-formed XML, too.</summary>
    public static string ToHtml(ExplainedSearch search)
    {
        string store = Path.GetFileName(Path.TrimEndingDirectorySeparator(Path.GetFullPath(search.Store.Directory)));
        string title = $"How {search.Query} was searched for in {store}";
        var page = new XElement(
            "html", new XAttribute("lang", "en"),
            new XElement(
                "head",
                new XElement("meta", new XAttribute("charset", "utf-8")),
                new XElement(
                    "meta", new XAttribute("name", "viewport"), new XAttribute("content", "width=device-width, initial-scale=1")),
                new XElement("meta", new XAttribute("name", "color-scheme"), new XAttribute("content", "light dark")),
                new XElement("title", title),
                new XElement("style", PageStyle.Css)),
            new XElement(
                "body",
                new XElement(
                    "main",
                    new XElement("p", Class("over"), "vectorpipe explain"),
                    new XElement("h1", title),
                    Tiles(search),
                    new XElement("p", Class("lead"), string.Join(' ', SearchStory.What(search))),
                    Timeline(search), Recall(search), Reasons(search), Tables(search))));
        return $"<!DOCTYPE html>\n{page}\n";
    }

    private static XElement Tiles(ExplainedSearch search)
    {
        SearchStatistics cost = search.Statistics;
        return new XElement(
            "dl", Class("tiles"),
            Tile("time", PageText.Us(cost.ElapsedUs)),
            Tile("reads", PageText.Of($"{cost.Reads:N0}")),
            Tile("in flight at once", PageText.Of($"{search.Timeline.Rows(cost.ElapsedUs).Count:N0}")),
            Tile("distances by code", PageText.Of($"{cost.CodeDistances:N0}")),
            Tile("distances by vector", PageText.Of($"{cost.ExactDistances:N0}")),
            CalibrationCurve.Chosen(search) is { } chosen ? Tile("expected recall", PageText.Of($"{100 * chosen.Recall:0.#} %")) : null);
    }

    private static XElement Tile(string name, string value) =>
        new("div", new XElement("dt", name), new XElement("dd", value));

    private static XElement? Timeline(ExplainedSearch search)
    {
        SearchStatistics cost = search.Statistics;
        if (search.Timeline.Computing.Count == 0)
            return null;
        return new XElement(
            "section",
            new XElement("h2", "Microsecond by microsecond"),
            new XElement(
                "figure",
                TimelineDrawing.Draw(search.Timeline, cost.ElapsedUs),
                new XElement(
                    "figcaption",
                    Key("read", "a read in flight"),
                    search.Timeline.Scoring.Count > 0 ? Key("score", "a page scored") : null,
                    search.Timeline.Following.Count > 0 ? Key("follow", "links followed") : null,
                    Key("compute", "other computing"), Key("wait", "waiting"), Key("answer", "the answer"))),
            Shares(search));
    }

    private static XElement Shares(ExplainedSearch search)
    {
        SearchStatistics cost = search.Statistics;
        double beside = search.ComputingBesideReadsUs;
        (string Look, string Name, double Us)[] shares =
        [
            ("queue", "waiting for its turn", cost.QueueUs), ("alone", "computing, no read in flight", Math.Max(0, cost.CpuUs - beside)),
            ("beside", "computing while reads are in flight", beside), ("wait", "waiting for reads and the thread", cost.IoUs),
        ];
        return new XElement(
            "div", Class("shares"),
            new XElement("h3", "Where the time went"),
            new XElement(
                "div", Class("bar"),
                shares.Select(share => new XElement(
                    "span", Class(share.Look), new XAttribute("style", PageText.Of($"flex-grow:{share.Us:0.##}")), ""))),
            new XElement("p", Class("keys"), shares.Select(share => Key(share.Look, $"{share.Name}: {PageText.Us(share.Us)}"))));
    }

    private static XElement Recall(ExplainedSearch search)
    {
        const string heading = "Recall against reads";
        if (search.Store.Index is not { Calibration: { Count: > 0 } points })
            return new XElement(
                "section", new XElement("h2", heading),
                new XElement("p", "No calibration has measured the recall of this index; vectorpipe calibrate does."));
        IndexCalibrationPoint? chosen = CalibrationCurve.Chosen(search);
        return new XElement(
            "section",
            new XElement("h2", heading),
            new XElement(
                "figure", Class("beside-text"),
                RecallDrawing.Draw(points, chosen, search.Statistics.PagesRead),
                new XElement("figcaption", SearchStory.Curve(search, chosen))));
    }

    private static XElement Reasons(ExplainedSearch search) => new(
        "section",
        new XElement("h2", "What was done, and why"),
        new XElement(
            "dl", Class("reasons"),
            SearchStory.Why(search).Select(reason => new[] { new XElement("dt", reason.Heading), new XElement("dd", reason.Sentence) })));

    private static XElement Tables(ExplainedSearch search) => new(
        "section", Class("tables"),
        Facts("Settings", SearchFacts.Settings(search)),
        Facts("Work", SearchFacts.Work(search)),
        new XElement(
            "div", Class("hits"),
            new XElement("h3", "Hits"),
            new XElement(
                "table", new XAttribute("id", "hits-table"),
                new XElement(
                    "thead", new XElement("tr", new XElement("th", "rank"), new XElement("th", "key"), new XElement("th", "score"))),
                new XElement("tbody", search.Search.Found.Hits.Select((hit, i) => new XElement(
                    "tr", new XElement("td", PageText.Of($"{i + 1}")), new XElement("td", hit.Key),
                    new XElement("td", PageText.Of($"{hit.Score:G6}"))))))));

    private static XElement Facts(string heading, IEnumerable<SearchFact> facts) => new(
        "div",
        new XElement("h3", heading),
        new XElement("table", new XElement("tbody", facts.Select(fact => new XElement(
            "tr", new XElement("th", fact.Name), new XElement("td", new XAttribute("id", fact.Id), fact.Value))))));

    private static XElement Key(string look, string text) =>
        new("span", Class("key"), new XElement("i", Class($"swatch {look}"), ""), text);

    private static XAttribute Class(string name) => new("class", name);
}
