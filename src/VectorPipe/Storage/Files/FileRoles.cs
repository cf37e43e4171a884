namespace VectorPipe.Storage.Files;

/// <summary>The roles that files of an index have; those of a collection are another writer's to name and delete.</summary>
internal static class FileRoles
{
    /// <summary>In ascending order.</summary>
    public static readonly FileRole[] OfIndex =
        [.. Enum.GetValues<FileRole>().Where(role => role < FileRole.Records)];
}
