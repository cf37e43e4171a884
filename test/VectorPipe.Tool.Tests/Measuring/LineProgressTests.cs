using NUnit.Framework;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Tests.Measuring;

public sealed class LineProgressTests
{
    private readonly StringWriter _output = new();
    private readonly ManualTime _time = new();
    private LineProgress _progress = null!;

    [SetUp]
    public void Begin()
    {
        _output.GetStringBuilder().Clear();
        _progress = new LineProgress(_output, () => 300L << 20, _time);
    }

    [Test]
    public void A_line_shows_share_rate_time_left_and_memory()
    {
        Report("leaves", 0, 10_000);
        Report("leaves", 2_500, 10_000, afterSeconds: 2);
        Assert.That(Lines, Is.EqualTo(new[] { "leaves: 25 % (2500 of 10000), 1,250/s, 0:06 left, 300 MiB" }));
    }

    [Test]
    public void A_complete_phase_shows_no_time_left()
    {
        Report("leaves", 0, 10_000);
        Report("leaves", 10_000, 10_000, afterSeconds: 5);
        Assert.That(Lines, Is.EqualTo(new[] { "leaves: 100 % (10000 of 10000), 2,000/s, 300 MiB" }));
    }

    [Test]
    public void Hours_are_shown_as_hours()
    {
        Report("leaves", 0, 4_000_000);
        Report("leaves", 1_000_000, 4_000_000, afterSeconds: 1800);
        Assert.That(Lines[0], Does.Contain(", 1:30:00 left,"));
    }

    [Test]
    public void A_phase_that_is_reported_once_has_no_rate()
    {
        Report("train", 1, 1);
        Assert.That(Lines, Is.EqualTo(new[] { "train: 100 % (1 of 1), 300 MiB" }));
    }

    [Test]
    public void There_is_one_line_per_quarter()
    {
        for (int done = 0; done <= 100; done++)
            Report("leaves", done, 100);
        Assert.That(
            Lines.Select(line => line[..line.IndexOf(" %", StringComparison.Ordinal)]),
            Is.EqualTo(new[] { "leaves: 25", "leaves: 50", "leaves: 75", "leaves: 100" }));
    }

    [Test]
    public void A_repeated_phase_starts_again()
    {
        foreach (string phase in new[] { "merge", "refine", "merge" })
        {
            Report(phase, 0, 8);
            Report(phase, 8, 8, afterSeconds: 1);
        }

        Assert.That(Lines.Select(line => line.Split(':')[0]), Is.EqualTo(new[] { "merge", "refine", "merge" }));
        Assert.That(Lines[2], Does.Contain(", 8/s,"));
    }

    [Test]
    public void Late_reports_do_not_set_a_phase_back()
    {
        Report("nodes", 0, 100);
        Report("nodes", 60, 100, afterSeconds: 6);
        Report("nodes", 40, 100);
        Report("nodes", 75, 100, afterSeconds: 1.5);
        Assert.That(Lines, Has.Length.EqualTo(2));
        Assert.That(Lines[1], Does.StartWith("nodes: 75 % (75 of 100), 10/s"));
    }

    [Test]
    public void A_phase_without_work_is_not_shown()
    {
        Report("keys", 0, 0);
        Assert.That(Lines, Is.Empty);
    }

    private string[] Lines => _output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);

    private void Report(string phase, long done, long total, double afterSeconds = 0)
    {
        _time.Advance(TimeSpan.FromSeconds(afterSeconds));
        _progress.Report(new BuildProgress(phase, done, total));
    }
}
