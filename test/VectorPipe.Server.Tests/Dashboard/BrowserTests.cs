using System.Globalization;
using System.Text.Json.Nodes;
using Microsoft.Playwright;
using NUnit.Framework;
using VectorPipe.TestHost.Browsers;

namespace VectorPipe.Server.Tests.Dashboard;

/// <summary>Uses the dashboard in a browser, if there is one.</summary>
[TestFixture]
public sealed class BrowserTests
{
    private const int Films = 4500;
    private const string Query = "set=films&element=film+7&count=10&recall=0.9";

    // Elements that stand out of the window; those in a box that scrolls may.
    private const string Overflowing = """
        () => {
          const width = document.documentElement.clientWidth;
          const found = [];
          if (document.documentElement.scrollWidth > width) found.push('the page');
          for (const e of document.body.querySelectorAll('*')) {
            const box = e.getBoundingClientRect();
            if (!e.closest('.scroll') && (box.left < -1 || box.right > width + 1)) found.push(e.tagName + ' ' + e.textContent.slice(0, 40));
          }
          return found;
        }
        """;

    private DashboardServer? _server;
    private TestBrowser? _browser;

    [OneTimeSetUp]
    public async Task OpenBrowser()
    {
        _browser = await TestBrowser.StartAsync();
        _server = await DashboardServer.StartAsync(Films);
        using (RespClient client = await _server.Server.ConnectAsync())
            await client.CallAsync("VADD", "<img src=x onerror=alert(1)>", "VALUES", "2", "1", "1", "<b>e</b>");
    }

    [OneTimeTearDown]
    public async Task CloseBrowser()
    {
        if (_browser is not null)
            await _browser.DisposeAsync();
        if (_server is not null)
            await _server.DisposeAsync();
    }

    [Test]
    [Spread]
    public async Task A_page_fits_into_the_window_without_an_error_or_a_request_to_others(
        [Values(1200, 360)] int width, [Values("sets", "explore", "trace", "live", "cluster")] string name)
    {
        await using IBrowserContext context = await _browser!.NewContextAsync(width);
        IPage page = await context.NewPageAsync();
        List<string> complaints = [], strangers = [];
        page.Console += (_, message) => complaints.Add(message.Text);
        page.PageError += (_, error) => complaints.Add(error);
        page.Request += (_, request) =>
        {
            if (!request.Url.StartsWith(_server!.Address.AbsoluteUri, StringComparison.Ordinal))
                strangers.Add(request.Url);
        };
        await OpenAsync(page, name);
        string awaited = name switch
        {
            "sets" => "table.sets",
            "explore" => "svg.recall",
            "trace" => "svg.timeline",
            "cluster" => "p.card:has-text('in no cluster')",
            _ => "#figures .tile:first-of-type dd:not(:text('–'))",
        };
        await page.Locator(awaited).First.WaitForAsync();
        string[] overflowing = await page.EvaluateAsync<string[]>(Overflowing);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(overflowing, Is.Empty);
            Assert.That(complaints, Is.Empty);
            Assert.That(strangers, Is.Empty);
        }
    }

    [Test]
    public async Task The_sets_are_shown_with_their_counts_and_names_as_texts()
    {
        await using IBrowserContext context = await _browser!.NewContextAsync();
        IPage page = await context.NewPageAsync();
        await OpenAsync(page, "sets");
        ILocator row = page.Locator("tr[data-set=films]");
        await Assertions.Expect(row.Locator("td").First).ToHaveTextAsync("4,500");
        await Assertions.Expect(page.Locator("table.sets tbody tr")).ToHaveCountAsync(2);
        await Assertions.Expect(page.Locator("main img")).ToHaveCountAsync(0);
        await row.Locator("a").ClickAsync();
        await Assertions.Expect(page.Locator("select[name=set]")).ToHaveValueAsync("films");
    }

    [Test]
    public async Task A_search_near_an_element_shows_its_hits_and_the_recall_of_the_server()
    {
        await using IBrowserContext context = await _browser!.NewContextAsync();
        IPage page = await context.NewPageAsync();
        await OpenAsync(page, "explore");
        await page.Locator("select[name=set]").SelectOptionAsync("films");
        await page.Locator("input[name=element]").FillAsync("film 30");
        await page.Locator("input[name=count]").FillAsync("15");
        Task<IResponse> answered = page.WaitForResponseAsync(response => response.Url.Contains("/api/v1/search", StringComparison.Ordinal));
        await page.Locator("button[type=submit]").ClickAsync();
        JsonNode answer = JsonNode.Parse(await (await answered).TextAsync())!;
        await Assertions.Expect(page.Locator("#hits tbody tr")).ToHaveCountAsync(15);
        await Assertions.Expect(page.Locator("#truth tbody tr")).ToHaveCountAsync(15);
        await Assertions.Expect(page.Locator("#points tbody tr")).ToHaveCountAsync(9);
        string shown = await page.Locator("#result .tile dd").First.EvaluateAsync<string>("e => e.firstChild.textContent");
        double recall = double.Parse(shown.TrimEnd('%', ' '), CultureInfo.InvariantCulture);
        Assert.That(recall, Is.EqualTo(100 * (double)answer["recall"]!).Within(0.06));
        string first = await page.Locator("#hits tbody .name").First.InnerTextAsync();
        Assert.That(first, Does.StartWith("film 30"));
    }

    [Test]
    public async Task A_trace_has_as_many_bars_as_reads_and_can_be_saved()
    {
        await using IBrowserContext context = await _browser!.NewContextAsync();
        IPage page = await context.NewPageAsync();
        Task<IResponse> answered = page.WaitForResponseAsync(response => response.Url.Contains("/api/v1/trace", StringComparison.Ordinal));
        await OpenAsync(page, "trace");
        JsonNode answer = JsonNode.Parse(await (await answered).TextAsync())!;
        int reads = (int)answer["cost"]!["reads"]!;
        Assert.That(reads, Is.Positive);
        await Assertions.Expect(page.Locator("svg.timeline rect.read")).ToHaveCountAsync(reads);
        await Assertions.Expect(page.Locator("#reads tbody tr")).ToHaveCountAsync(reads);
        IDownload download = await page.RunAndWaitForDownloadAsync(() => page.Locator("button[name=download]").ClickAsync());
        Assert.That(download.SuggestedFilename, Is.EqualTo("search-trace.json"));
        JsonNode saved = JsonNode.Parse(await File.ReadAllTextAsync(await download.PathAsync()))!;
        Assert.That(saved["traceEvents"]!.AsArray(), Has.Count.EqualTo(answer["trace"]!["traceEvents"]!.AsArray().Count));
    }

    [Test]
    public async Task A_button_takes_an_element_by_chance_and_a_vector_can_be_pasted()
    {
        await using IBrowserContext context = await _browser!.NewContextAsync();
        IPage page = await context.NewPageAsync();
        await OpenAsync(page, "explore");
        await Assertions.Expect(page.Locator("#hits tbody tr")).ToHaveCountAsync(10);
        await page.Locator("button[name=chance]").ClickAsync();
        await Assertions.Expect(page.Locator("input[name=element]")).Not.ToHaveValueAsync("film 7");
        await page.Locator("input[value=vector]").CheckAsync();
        await page.Locator("textarea").FillAsync("[" + string.Join(", ", Enumerable.Range(1, DashboardServer.Dimension)) + "]");
        await page.Locator("input[name=count]").FillAsync("4");
        await page.Locator("button[type=submit]").ClickAsync();
        await Assertions.Expect(page.Locator("#hits tbody tr")).ToHaveCountAsync(4);
        await page.Locator("textarea").FillAsync("1, two");
        await page.Locator("button[type=submit]").ClickAsync();
        await Assertions.Expect(page.GetByRole(AriaRole.Alert)).ToHaveTextAsync("vector: expected numbers, found 'two'");
    }

    [Test]
    public async Task The_keyboard_is_enough()
    {
        await using IBrowserContext context = await _browser!.NewContextAsync();
        IPage page = await context.NewPageAsync();
        await OpenAsync(page, "sets", query: "");
        await page.Locator("tr[data-set=films] a").FocusAsync();
        await page.Keyboard.PressAsync("Enter");
        await Assertions.Expect(page.Locator("select[name=set]")).ToHaveValueAsync("films");
        await page.Locator("input[name=element]").FocusAsync();
        await page.Keyboard.TypeAsync("film 3");
        await page.Keyboard.PressAsync("Enter");
        await Assertions.Expect(page.Locator("#hits tbody tr")).ToHaveCountAsync(10);
        string before = await page.Locator("output.value").InnerTextAsync();
        await page.Locator("input[name=recall]").FocusAsync();
        await page.Keyboard.PressAsync("ArrowRight");
        await Assertions.Expect(page.Locator("output.value")).Not.ToHaveTextAsync(before);
        string after = await page.Locator("output.value").InnerTextAsync();
        await page.WaitForURLAsync(url => url.Contains("recall=" + after, StringComparison.Ordinal));
    }

    [Test]
    public async Task A_wrong_query_shows_what_the_server_says()
    {
        await using IBrowserContext context = await _browser!.NewContextAsync();
        IPage page = await context.NewPageAsync();
        await OpenAsync(page, "explore", query: "?set=films&element=none");
        await Assertions.Expect(page.GetByRole(AriaRole.Alert)).ToHaveTextAsync("element: expected one of set 'films', found 'none'");
    }

    [Test]
    public async Task A_page_is_dark_where_the_reader_prefers_it()
    {
        await using IBrowserContext context = await _browser!.NewContextAsync();
        IPage page = await context.NewPageAsync();
        await OpenAsync(page, "sets");
        (double paper, double ink) = await BrightnessAsync(ColorScheme.Light);
        Assert.That(paper, Is.GreaterThan(ink + 400), "light");
        (paper, ink) = await BrightnessAsync(ColorScheme.Dark);
        Assert.That(ink, Is.GreaterThan(paper + 400), "dark");

        // Of the page and of its text: the sum of red, green and blue.
        async Task<(double Paper, double Ink)> BrightnessAsync(ColorScheme scheme)
        {
            await page.EmulateMediaAsync(new PageEmulateMediaOptions { ColorScheme = scheme });
            double[] sums = await page.EvaluateAsync<double[]>("""
                () => ['backgroundColor', 'color'].map(
                  name => getComputedStyle(document.body)[name].match(/[0-9]+/g).reduce((sum, part) => sum + Number(part), 0))
                """);
            return (sums[0], sums[1]);
        }
    }

    private async Task OpenAsync(IPage page, string name, string query = "?" + Query) =>
        await page.GotoAsync($"{_server!.Address}#/{name}{query}");
}
