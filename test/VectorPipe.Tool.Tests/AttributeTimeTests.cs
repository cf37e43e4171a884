using System.Text.Json;
using NUnit.Framework;
using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Tests;

/// <summary>Times in lines of JSON mean the same wherever the program runs.</summary>
[NonParallelizable]
public sealed class AttributeTimeTests
{
    private const string ZoneName = "TZ";

    private readonly string? _before = Environment.GetEnvironmentVariable(ZoneName);

    [TearDown]
    public void RestoreZone() => SetZone(_before);

    [TestCase("2024-05-06", "2024-05-06T00:00:00+00:00")]
    [TestCase("2024-05-06T07:08:09.5", "2024-05-06T07:08:09.5+00:00")]
    [TestCase("2024-05-06T07:08:09Z", "2024-05-06T07:08:09+00:00")]
    [TestCase("2024-05-06T07:08:09+02:00", "2024-05-06T05:08:09+00:00")]
    public void A_time_without_a_zone_is_UTC(string text, string expected)
    {
        SetZone("America/New_York");
        Assume.That(TimeZoneInfo.Local.BaseUtcOffset, Is.Not.EqualTo(TimeSpan.Zero));
        var schema = new CollectionSchema { Dimension = 2, Attributes = [new("seen", AttributeType.DateTimeOffset)] };
        using JsonDocument json = JsonDocument.Parse($$"""{"seen":"{{text}}"}""");
        AttributeSet read = AttributeJson.Parse(json.RootElement, schema, "line 1");
        Assert.That(read["seen"].AsDateTimeOffset(), Is.EqualTo(DateTimeOffset.Parse(expected, null)));
    }

    private static void SetZone(string? name)
    {
        Environment.SetEnvironmentVariable(ZoneName, name);
        TimeZoneInfo.ClearCachedData();
    }
}
