namespace VectorPipe.Tool.Commands;

/// <summary>Options of a verb that takes a collection or an index.</summary>
internal interface IStoreArguments
{
    /// <summary>Folder of the collection or the index.</summary>
    string Folder { get; }
}
