using Microsoft.Playwright;
using NUnit.Framework;
using VectorPipe.TestHost.Browsers;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Explaining;

/// <summary>Opens pages in a browser, if there is one.</summary>
public sealed class BrowserTests
{
    // Elements, text in drawings among them, that stand out of the window or of their drawing.
    private const string Overflowing = """
        () => {
          const width = document.documentElement.clientWidth;
          const outside = (box, of) => box.left < of.left - 1 || box.right > of.right + 1;
          const found = [];
          if (document.documentElement.scrollWidth > width) found.push('the page');
          for (const e of document.body.querySelectorAll('*')) {
            const box = e.getBoundingClientRect();
            const isText = e.tagName === 'text';
            if (outside(box, { left: 0, right: width }) || (isText && outside(box, e.closest('svg').getBoundingClientRect())))
              found.push(e.tagName + ' ' + e.textContent.slice(0, 40));
          }
          return found;
        }
        """;

    private ExplainedStores? _stores;
    private TestBrowser? _browser;

    [OneTimeSetUp]
    public async Task OpenBrowser()
    {
        _browser = await TestBrowser.StartAsync();
        _stores = await ExplainedStores.CreateAsync();
    }

    [OneTimeTearDown]
    public async Task CloseBrowser()
    {
        if (_browser is not null)
            await _browser.DisposeAsync();
        _stores?.Dispose();
    }

    [Test]
    public async Task A_page_fits_into_the_window_without_an_error_or_a_request(
        [Values(1200, 400)] int width, [Values("graph", "lists", "collection")] string kind)
    {
        string path = kind switch
        {
            "graph" => await _stores!.ExplainAsync(_stores.Graph.Index, "--row", "4"),
            "lists" => await _stores!.ExplainAsync(_stores.Lists, "--probes", "30"),
            _ => await _stores!.ExplainAsync(
                _stores.Collection, "-k", "100", "--filter", $"year in ({string.Join(", ", Enumerable.Range(1, 90))})"),
        };
        await using IBrowserContext context = await _browser!.NewContextAsync(width);
        IPage page = await context.NewPageAsync();
        List<string> complaints = [], requests = [];
        page.Console += (_, message) => complaints.Add(message.Text);
        page.PageError += (_, error) => complaints.Add(error);
        page.Request += (_, request) => requests.Add(request.Url);
        await page.GotoAsync(new Uri(path).AbsoluteUri);
        string[] overflowing = await page.EvaluateAsync<string[]>(Overflowing);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(overflowing, Is.Empty);
            Assert.That(complaints, Is.Empty);
            Assert.That(requests, Is.EqualTo(new[] { new Uri(path).AbsoluteUri }));
        }
    }

    [Test]
    public async Task A_page_is_dark_where_the_reader_prefers_it()
    {
        string path = await _stores!.ExplainAsync(_stores.Graph.Index);
        await using IBrowserContext context = await _browser!.NewContextAsync();
        IPage page = await context.NewPageAsync();
        await page.GotoAsync(new Uri(path).AbsoluteUri);
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
}
