using CommandLine;
using VectorPipe.Tool.Collections.Columns;
using VectorPipe.Tool.Collections.Rows;
using VectorPipe.Tool.Inputs;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe upsert</c>.</summary>
[Verb("upsert", HelpText =
    "Insert records into a collection, or replace those of the same keys: from a file of vectors, which also rebuilds the index, from " +
    "lines of JSON: {\"key\": 1, \"vector\": [0.5, 1], \"attributes\": {\"year\": 2024}, \"payload\": \"text\"}, or from a file of " +
    "Parquet or Arrow. Of a file with a bad record, those before it are written.")]
internal sealed class UpsertArguments : CollectionArguments
{
    [Option("vectors", HelpText = "File of the vectors: " + VectorInput.Formats + ".")]
    public string? Vectors { get; set; }

    [Option("keys", HelpText =
        "(Default: the column key, or row numbers) With --vectors: file of their keys, one a line, or .npy of integers.")]
    public string? Keys { get; set; }

    [Option("attributes", HelpText =
        "(Default: none) With --vectors: file of their attributes, in the order of the vectors: .jsonl, .ndjson or .json, an object of " +
        "JSON or null a line, or " + ColumnFile.Extensions + ", with columns that are named like attributes of the collection.")]
    public string? Attributes { get; set; }

    [Option("records", HelpText =
        "(Default: standard input) File of records: an object of JSON a line, or " + ColumnFile.Extensions + ", with the columns key, " +
        "vector and payload, which may be absent; all others are attributes.")]
    public string? Records { get; set; }

    public void Check()
    {
        UsageException.Require(Vectors is null || Records is null, "--records", Records, "none beside --vectors");
        UsageException.Require(Keys is null || Vectors is not null, "--keys", Keys, "none without --vectors");
        UsageException.Require(Attributes is null || Vectors is not null, "--attributes", Attributes, "none without --vectors");
        UsageException.Require(
            Attributes is null || AttributeRows.IsNamed(Attributes), "--attributes", $"'{Attributes}'",
            $"a file whose name ends in {AttributeRows.Extensions}");
    }
}
