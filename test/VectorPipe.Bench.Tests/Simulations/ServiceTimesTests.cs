using NUnit.Framework;
using VectorPipe.Bench.Simulations;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests.Simulations;

public sealed class ServiceTimesTests
{
    [TestCase(0, 400)]
    [TestCase(0.25, 600)]
    [TestCase(0.5, 800)]
    [TestCase(0.75, 2900)]
    public void Between_percentiles_durations_are_spread_evenly(double share, double us)
    {
        var times = ServiceTimes.Parse("0:400,50:800,100:5000");

        Assert.That(times.Of(share).TotalMicroseconds, Is.EqualTo(us));
        Assert.That(times.MeanUs, Is.EqualTo((600 + 2900) / 2));
    }

    [Test]
    public void A_file_has_durations_one_a_line()
    {
        using var folder = new TempFolder();
        File.WriteAllLines(folder["us.txt"], ["300", "100.5", "200", ""]);
        var times = ServiceTimes.Parse(folder["us.txt"]);

        Assert.That(times.Of(0).TotalMicroseconds, Is.EqualTo(100.5));
        Assert.That(times.Of(0.5).TotalMicroseconds, Is.EqualTo(200));
        Assert.That(times.Of(0.75).TotalMicroseconds, Is.EqualTo(250));
    }

    [TestCase("0:400")]
    [TestCase("0:400,50:300,100:500")]
    [TestCase("0:400,99:500")]
    [TestCase("0:400,50,100:500")]
    [TestCase("0:x,100:500")]
    [TestCase("0:-1,100:500")]
    public void Others_are_refused(string text) =>
        Assert.That(Assert.Throws<UsageException>(() => ServiceTimes.Parse(text))!.Message, Does.Contain("rising percentiles"));
}
