namespace VectorPipe.Diagnostics;

/// <summary>Bytes of the files in the directory of an index or a collection.</summary>
internal static class StoredFiles
{
    private const string Extension = ".vp";

    /// <summary>Bytes by the role of the files: nodes, codes, keys, log and so on, and other for manifests and locks.</summary>
    /// <remarks>Files that come and go meanwhile are counted or not.</remarks>
    public static IEnumerable<(string Role, long Bytes)> BytesOf(string directory)
    {
        var bytes = new Dictionary<string, long>();
        try
        {
            foreach (FileInfo file in new DirectoryInfo(directory).EnumerateFiles("*", SearchOption.AllDirectories))
            {
                string role = RoleOf(file.Name);
                bytes[role] = bytes.GetValueOrDefault(role) + (file.Exists ? file.Length : 0);
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // A directory or a file of it has gone: what was found is what there is.
        }

        return bytes.Select(static role => (role.Key, role.Value));
    }

    // The role comes before the number: nodes-000001.vp.
    private static string RoleOf(string name)
    {
        int dash = name.IndexOf('-');
        return dash > 0 && name.EndsWith(Extension, StringComparison.Ordinal) ? name[..dash] : "other";
    }
}
