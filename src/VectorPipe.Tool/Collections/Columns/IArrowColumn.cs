using Apache.Arrow;

namespace VectorPipe.Tool.Collections.Columns;

/// <summary>A column of an Arrow file, which is read a record batch at a time.</summary>
internal interface IArrowColumn
{
    string Name { get; }

    /// <summary>Goes on with the values of the next batch.</summary>
    void Begin(IArrowArray batch);
}
