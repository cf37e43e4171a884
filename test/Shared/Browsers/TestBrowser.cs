using Microsoft.Playwright;

namespace VectorPipe.TestHost.Browsers;

/// <summary>Chromium without a window, if it is installed.</summary>
internal sealed class TestBrowser : IAsyncDisposable
{
    private readonly IPlaywright _playwright;
    private readonly IBrowser _browser;

    private TestBrowser(IPlaywright playwright, IBrowser browser)
    {
        _playwright = playwright;
        _browser = browser;
    }

    /// <summary>Starts it, or ignores the test.</summary>
    public static async Task<TestBrowser> StartAsync()
    {
        string chromium = InstalledPrograms.RequireOne("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome");
        IPlaywright playwright = await Playwright.CreateAsync();

        // Its own bounds of 5 and 30 s are too few where the processors have other tests to run.
        float patience = (float)HangBound.Patience.TotalMilliseconds;
        Assertions.SetDefaultExpectTimeout(patience);
        var options = new BrowserTypeLaunchOptions { ExecutablePath = chromium, Timeout = patience };
        try
        {
            return new TestBrowser(playwright, await playwright.Chromium.LaunchAsync(options));
        }
        catch
        {
            playwright.Dispose();
            throw;
        }
    }

    /// <summary>Opens a window that shares nothing with others.</summary>
    /// <param name="width">Its width in pixels.</param>
    public async Task<IBrowserContext> NewContextAsync(int width = 1200)
    {
        IBrowserContext context = await _browser.NewContextAsync(
            new BrowserNewContextOptions { ViewportSize = new ViewportSize { Width = width, Height = 900 } });
        context.SetDefaultTimeout((float)HangBound.Patience.TotalMilliseconds);
        return context;
    }

    public async ValueTask DisposeAsync()
    {
        await _browser.DisposeAsync();
        _playwright.Dispose();
    }
}
