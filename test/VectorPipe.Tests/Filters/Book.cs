namespace VectorPipe.Tests.Filters;

/// <summary>A model of records for expressions.</summary>
public sealed class Book
{
    public int Year { get; set; }

    public short Small { get; set; }

    public double Price { get; set; }

    public decimal Money { get; set; }

    public string? Title { get; set; }

    public bool IsDraft { get; set; }

    public long? Stars { get; set; }

    public Guid Id { get; set; }

    public BookKind Kind { get; set; }

    public DateTimeOffset Written { get; set; }

    public IReadOnlyList<string> Tags { get; set; } = [];
}
