using NUnit.Framework;
using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Tests.Measuring;

public sealed class BarProgressTests
{
    [Test]
    public void Bars_show_rate_time_left_and_memory_and_a_repeated_phase_has_its_own()
    {
        using var output = new StringWriter();
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = AnsiSupport.Yes,
            Interactive = InteractionSupport.Yes,
            ColorSystem = ColorSystemSupport.NoColors,
            Out = new AnsiConsoleOutput(output),
        });
        console.Profile.Width = 200;
        var time = new ManualTime();
        console.Progress().AutoRefresh(false).Columns(new TaskDescriptionColumn(), new PercentageColumn(), new FiguresColumn())
            .Start(context =>
        {
            var progress = new BarProgress(context, () => 300L << 20, time);
            foreach ((long done, double seconds) in new[] { (0L, 0.0), (10L, 1.0), (0L, 0.0), (5L, 1.0) })
            {
                time.Advance(TimeSpan.FromSeconds(seconds));
                progress.Report(new BuildProgress("merge", done, 10));
            }

            context.Refresh();
        });
        Assert.That(output.ToString(), Does.Contain("10/s, 300 MiB").And.Contain("5/s, 0:01 left, 300 MiB"));
    }
}
