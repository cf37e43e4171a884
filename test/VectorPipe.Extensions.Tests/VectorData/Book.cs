using Microsoft.Extensions.VectorData;

namespace VectorPipe.Extensions.Tests.VectorData;

/// <summary>A record with a property of each type that a collection stores.</summary>
public sealed class Book
{
    [VectorStoreKey]
    public string Isbn { get; set; } = "";

    [VectorStoreData(IsIndexed = true, StorageName = "published")]
    public int Year { get; set; }

    [VectorStoreData(IsIndexed = true)]
    public long? Copies { get; set; }

    [VectorStoreData(IsIndexed = true)]
    public short Shelf { get; set; }

    [VectorStoreData(IsIndexed = true)]
    public float? Rating { get; set; }

    [VectorStoreData(IsIndexed = true)]
    public double Price { get; set; }

    [VectorStoreData(IsIndexed = true)]
    public bool Draft { get; set; }

    [VectorStoreData(IsIndexed = true)]
    public string? Language { get; set; }

    [VectorStoreData(IsIndexed = true)]
    public Guid? Edition { get; set; }

    [VectorStoreData(IsIndexed = true)]
    public DateTimeOffset? Seen { get; set; }

    [VectorStoreData(IsIndexed = true)]
    public DateTime Printed { get; set; }

    [VectorStoreData(IsIndexed = true)]
    public string[]? Tags { get; set; }

    [VectorStoreData]
    public string? Title { get; set; }

    [VectorStoreData]
    public List<string>? Authors { get; set; }

    [VectorStoreData]
    public double? Weight { get; set; }

    [VectorStoreVector(4, DistanceFunction = DistanceFunction.EuclideanSquaredDistance)]
    public ReadOnlyMemory<float> Embedding { get; set; }

    /// <summary>A book that its number determines, at distance number squared from the origin.</summary>
    public static Book Of(int number) => new()
    {
        Isbn = $"isbn {number}",
        Year = 1900 + number,
        Copies = number % 4 == 0 ? null : number * 10_000_000_000L,
        Shelf = (short)(number % 7),
        Rating = number % 5 == 0 ? null : number / 3f,
        Price = number % 3 == 0 ? -0.1 * number : 0.1 * number,
        Draft = number % 2 == 1,
        Language = (number % 3) switch { 0 => "en", 1 => "de", _ => null },
        Edition = number % 2 == 0 ? new Guid(number, 0, 0, new byte[8]) : null,
        Seen = number % 6 == 0 ? null : new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.FromHours(2)).AddDays(number),
        Printed = new DateTime(1900 + number, 3, 1, 12, 0, 0, DateTimeKind.Utc),
        Tags = (number % 4) switch { 0 => null, 1 => [], 2 => ["sea", "whale", "sea"], _ => ["land", $"t{number}"] },
        Title = number % 8 == 0 ? null : $"Title {number} \"ü\"",
        Authors = number % 3 == 0 ? null : ["B", "A", "B"],
        Weight = (number % 3) switch { 0 => null, 1 => double.NaN, _ => 0.25 * number },
        Embedding = new float[] { number, 0, 0, 0 },
    };
}
