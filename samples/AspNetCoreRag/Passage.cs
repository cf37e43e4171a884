using Microsoft.Extensions.VectorData;

namespace AspNetCoreRag;

/// <summary>A passage of a book, found by what it says.</summary>
public sealed class Passage
{
    [VectorStoreKey]
    public int Id { get; set; }

    [VectorStoreData(IsIndexed = true)]
    public string Source { get; set; } = "";

    [VectorStoreData(IsIndexed = true)]
    public int Year { get; set; }

    [VectorStoreData]
    public string Text { get; set; } = "";

    /// <summary>What the embedding is made of when the passage is written.</summary>
    [VectorStoreVector(WordCounts.Dimension, DistanceFunction = DistanceFunction.CosineSimilarity)]
    public string Embedding => Text;
}

/// <summary>A passage that a caller writes.</summary>
public sealed record NewPassage(string Source, int Year, string Text);
