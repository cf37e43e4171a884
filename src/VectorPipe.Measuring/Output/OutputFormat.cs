namespace VectorPipe.Measuring.Output;

/// <summary>How results are written to standard output.</summary>
internal enum OutputFormat
{
    /// <summary>Tables and sentences, for people.</summary>
    Table,

    /// <summary>A document, or an object a line where there may be many.</summary>
    Json,

    /// <summary>A line of names, then a line for each row.</summary>
    Csv,
}
